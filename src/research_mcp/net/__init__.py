"""The only HTTP of the house: guarded pages and policy-carrying vendor clients."""
