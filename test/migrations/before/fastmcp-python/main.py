from dataclasses import dataclass
from typing import Annotated

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import Field

mcp = FastMCP("units", version="1.0.0")


@dataclass
class Length:
    feet: float


@mcp.tool
def convert_length(
    metres: Annotated[float, Field(description="Length in metres")],
) -> Length:
    """Converts a length to feet"""
    if metres < 0:
        raise ToolError("A length is not negative.")
    return Length(feet=metres / 0.3048)


@mcp.resource("units://list", mime_type="text/plain")
def units() -> str:
    return "metre, foot"


@mcp.prompt
def explain_unit(unit: str) -> str:
    """Explains a unit"""
    return f"Explain the unit {unit}."


if __name__ == "__main__":
    mcp.run()
