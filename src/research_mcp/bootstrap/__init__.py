"""The composition root: environment -> accounts -> providers -> pipelines -> server."""

from research_mcp.bootstrap.assemble import Product, build
from research_mcp.bootstrap.environment import Environment, read_environment

__all__ = ["Environment", "Product", "build", "read_environment"]
