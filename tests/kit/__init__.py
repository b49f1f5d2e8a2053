"""What several test modules share: virtual time, fakes at the network edge."""
