"""Makes the pages of the Python packages' reference: what each module has, with its types and docstrings.

It reads the sources in python/, and the stubs in the folder that release/book.py has made them in; it runs none of them.
"""

import ast
import re
from pathlib import Path

PYTHON = Path(__file__).resolve().parent.parent / "python"
MODULES = {
    "robotsieve": "Files, policies, sets, packs, rights, reports",
    "robotsieve.aio": "From a URL to its verdict, with asyncio",
    "robotsieve.polars": "Expressions for Polars",
    "robotsieve.duckdb": "Functions for DuckDB",
    "robotsieve.spark": "Verdicts on Spark",
    "robotsieve.scrapy": "A parser and a middleware for Scrapy",
    "robotsieve.protego": "In place of Protego",
    "robotsieve.robotparser": "In place of urllib.robotparser",
    "robotsieve.typing": "The types of what is given and returned",
}
# What docstrings mark by roles: a name, perhaps with the module before it, or only its last part to be shown.
ROLE = re.compile(r":\w+:`~?(?:robotsieve\.(?:aio\.)?)?([^`]+)`")
PROMPT = re.compile(r"(?:^(?:>>>|\.\.\. ).*\n(?:.+\n)*)+", re.MULTILINE)


class Package:
    """Modules as syntax trees, by their names."""

    def __init__(self, stubs):
        self.folders, self.trees = (stubs, PYTHON), {}

    def tree(self, module):
        if module not in self.trees:
            bases = [folder.joinpath(*module.split(".")) for folder in self.folders]
            files = [file for base in bases for kind in ("pyi", "py") for file in (base.with_suffix(f".{kind}"), base / f"__init__.{kind}")]
            file = next((file for file in files if file.exists()), None)
            self.trees[module] = (ast.parse(file.read_text()), file is not None and file.stem == "__init__") if file else None
        return self.trees[module]

    def names(self, module):
        """The public names, as `__all__` has them; without it, all that the module defines."""
        body = self.tree(module)[0].body
        for node in body:
            if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
                return [name for name in ast.literal_eval(node.value) if name != "__version__"]
        classes = [node.name for node in body if isinstance(node, ast.ClassDef)]
        aliases = [node for node in body if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias"]
        names = [*classes, *(ast.unparse(alias.target) for alias in aliases)]
        return [name for name in names if not name.startswith("_")]

    def find(self, module, name):
        """The nodes that define a name, in the module or where it imports it from."""
        found = self.tree(module)
        if found is None:
            return []
        tree, is_package = found
        nodes = []
        for node in (inner for outer in tree.body for inner in (outer.body if isinstance(outer, ast.If) else [outer])):
            if getattr(node, "name", None) == name:
                nodes.append(node)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(ast.unparse(target) == name for target in targets):
                    nodes.append(node)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        parts = module.split(".")
                        above = parts[: len(parts) - node.level + is_package] if node.level else []
                        nodes += self.find(".".join([*above, *filter(None, [node.module])]), alias.name)
        return nodes


def text(doc):
    """A docstring as Markdown: marks as code, examples as blocks."""
    doc = PROMPT.sub(lambda example: f"```python\n{example[0].rstrip()}\n```\n", doc.strip() + "\n")
    parts = re.split(r"(^```.*?^```$)", doc, flags=re.MULTILINE | re.DOTALL)
    for place in range(0, len(parts), 2):
        plain = re.sub(r"``([^`]+)``", r"`\1`", ROLE.sub(r"`\1`", parts[place]))
        # Of what is not code, nothing is HTML.
        pieces = re.split(r"(`[^`]*`)", plain)
        pieces[::2] = [piece.replace("<", "&lt;").replace("*", "\\*") for piece in pieces[::2]]
        parts[place] = "".join(pieces)
    return "".join(parts).strip()


def signature(node, is_method):
    """A function's head, without what Python gives by itself."""
    arguments = node.args
    for those in (arguments.posonlyargs, arguments.args):
        if is_method and those and those[0].arg in ("self", "cls"):
            del those[0]
            break
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    asynchronous = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"{asynchronous}{node.name}({ast.unparse(arguments)}){result}".replace("(/, ", "(").replace("(/)", "()")


def described(level, name, nodes):
    """A section on what has a name: its heads, and the first docstring."""
    functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    heads = [signature(node, level > 2) for node in functions] or [ast.unparse(node) for node in nodes]
    doc = next(filter(None, (ast.get_docstring(node) for node in functions)), "")
    return [f"{'#' * level} {name}", "```python\n" + "\n".join(heads) + "\n```", text(doc)]


def of_class(name, node):
    bases = [ast.unparse(base) for base in node.bases]
    yield f"## {name}"
    if bases := [base for base in bases if base not in ("Document", "Protocol", "Generic[_T]")]:
        yield "A " + ", ".join(f"`{base}`" for base in bases) + "."
    yield text(ast.get_docstring(node) or "")
    fields, members = [], {}
    for place, member in enumerate(node.body):
        if isinstance(member, ast.AnnAssign) and not ast.unparse(member.target).startswith("_"):
            after = node.body[place + 1] if place + 1 < len(node.body) else None
            is_doc = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            doc = " ".join(text(after.value.value).split()) if is_doc and isinstance(after.value.value, str) else ""
            fields.append(f"- `{ast.unparse(member)}`" + (f": {doc}" if doc else ""))
        elif isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)):
            marks = [ast.unparse(mark) for mark in member.decorator_list]
            if member.name in ("__new__", "__init__") or not (member.name.startswith("_") or any(".setter" in mark for mark in marks)):
                members.setdefault(member.name, []).append((member, marks))
    yield "\n".join(fields)
    for called, found in members.items():
        nodes = [member for member, _ in found]
        if called in ("__new__", "__init__"):
            heads = [signature(member, True).split(" -> ")[0].replace(called, name, 1) for member in nodes]
            yield "```python\n" + "\n".join(heads) + "\n```"
        elif "property" in found[0][1]:
            kind = ast.unparse(nodes[0].returns) if nodes[0].returns else ""
            yield from (f"### {name}.{called}", f"```python\n{called}: {kind}\n```", text(ast.get_docstring(nodes[0]) or ""))
        else:
            yield from described(3, f"{name}.{called}", nodes)


def page(package, module):
    """The page of a module."""
    tree = package.tree(module)[0]
    parts = [f"# {module}", text(ast.get_docstring(tree) or "")]
    for name in sorted(package.names(module), key=lambda name: (name.lower(), name)):
        nodes = package.find(module, name)
        if not nodes:
            raise LookupError(f"{module}.{name} is defined nowhere")
        classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
        parts += of_class(name, classes[0]) if classes else described(2, name, nodes)
    return "\n\n".join(filter(None, parts)) + "\n"


def pages(stubs):
    """The pages by their names: a table of the modules, and a page of each."""
    package = Package(stubs)
    made = {f"{module}.md": page(package, module) for module in MODULES}
    rows = "".join(f"| [`{module}`]({module}.md) | {what} |\n" for module, what in MODULES.items())
    guide = "What the packages are for, and how to begin: [python/README.md](../../python/README.md)."
    made["README.md"] = f"# The Python packages\n\n{guide}\n\n| module | what |\n|---|---|\n{rows}"
    return made
