"""The modules of the client and their functions, made from the declarations of the tools."""

from __future__ import annotations

import difflib
import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from novamind_api import _client


def install(package: types.ModuleType, functions: Sequence[Mapping[str, Any]]) -> None:
    """Add modules with functions to the package.

    Args:
        package: novamind_api.
        functions: of each ``tool``, ``module``, ``doc`` and ``parameters``, a list of ``name`` and
            ``required``.
    """
    home: dict[str, str] = {}  # function -> where it is, as one writes it
    for declared in functions:
        name = f"{package.__name__}.{declared['module']}"
        if name not in sys.modules:
            sys.modules[name] = types.ModuleType(name, f"Calls of {declared['module']}.")
            setattr(package, declared["module"], sys.modules[name])
        setattr(sys.modules[name], declared["tool"], _function(declared, name))
        home[declared["tool"]] = f"{declared['module']}.{declared['tool']}"
    modules = sorted({declared["module"] for declared in functions})
    for short in modules:
        module = sys.modules[f"{package.__name__}.{short}"]
        module.__file__ = package.__file__
        module.__dict__["__getattr__"] = _advice(short, home, modules)
    package.__dict__["__getattr__"] = _advice("novamind_api", home, modules)


def _function(declared: Mapping[str, Any], module: str) -> Callable[..., Any]:
    tool: str = declared["tool"]
    names = [p["name"] for p in declared["parameters"]]

    def function(*args: Any, **named: Any) -> Any:
        if len(args) > len(names):
            raise TypeError(
                f"{tool}() takes {len(names)} arguments ({', '.join(names)}), not {len(args)}"
            )
        given = dict(zip(names, args))
        for name in named.keys() & given.keys():
            raise TypeError(f"{tool}() got {name} twice")
        return _client.ask(tool, {**given, **named})

    optional = {True: inspect.Parameter.empty, False: None}
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                p["name"],
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=optional[bool(p["required"])],
            )
            for p in declared["parameters"]
        ]
    )
    function.__name__ = function.__qualname__ = tool
    function.__module__, function.__doc__ = module, declared["doc"]
    return function


def _advice(owner: str, home: Mapping[str, str], modules: Sequence[str]) -> Callable[[str], Any]:
    """What a module says about a name that it does not have."""

    def missing(name: str) -> Any:
        # the import system and tools that look at modules ask for names like these
        if not name.startswith("__"):
            near = difflib.get_close_matches(name, [*home, *modules], n=2, cutoff=0.6)
            if name in home:
                near = [name]
            where = " or ".join(f"nm.{home.get(found, found)}" for found in near)
            reading = (
                '; settings in force are nm.call("get_current_config")'
                if name.startswith("get_")
                else ""
            )
            advice = f"; did you mean {where}?" if where else f"; there are {', '.join(modules)}"
            raise AttributeError(f"{owner} has no {name!r}{advice}{reading}")
        raise AttributeError(name)

    return missing
