"""The composition root: environment -> configuration -> providers -> pipelines -> server."""

from research_mcp.bootstrap.assemble import Product, assemble
from research_mcp.bootstrap.configure import Configuration, configure
from research_mcp.bootstrap.environment import Environment, read_environment

__all__ = ["Configuration", "Environment", "Product", "assemble", "configure", "read_environment"]
