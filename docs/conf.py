"""How Sphinx makes the site of the pages in this folder: `nox -s docs`.

Pages with a `kernelspec` at their top are notebooks, which the build executes; the
gallery's scripts are in examples/gallery. In the other pages the examples are doctests.
"""

import re
from typing import Any

import srcgrad

# ----- The project -----

project = "srcgrad"
author = "The srcgrad developers"
copyright = "The srcgrad developers"
version = release = srcgrad.__version__

# ----- Sphinx -----

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_nb",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/**.ipynb", "gallery/**.md5"]
default_role = "literal"  # docstrings write ``x`` and `x` alike

autosummary_generate = True
autodoc_member_order = "groupwise"
autodoc_typehints = "none"  # docstrings tell types; overloads are for type checkers
numpydoc_show_class_members = False  # the template of classes lists them

# ----- Notebooks -----

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"  # a cache would not see that srcgrad has changed
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True
nb_output_stderr = "remove"  # warnings depend on the machine: errors end the build
nb_render_markdown_format = "gfm"  # tables that a cell makes
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

# ----- The gallery -----

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "thumbnail_size": (500, 300),
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
}

# ----- The pages as HTML -----

html_theme = "pydata_sphinx_theme"
html_title = "srcgrad"
html_favicon = "_static/srcgrad.svg"
html_context = {"default_mode": "auto"}
html_static_path = ["_static"]
html_css_files = ["srcgrad.css"]
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "srcgrad"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_nav_level": 1,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"first-ten-minutes": [], "benchmarks": []}


def as_read_on_the_site(app: Any, name: str, text: list[str]) -> None:
    """Leave out what pages have for doctest, and for readers of the repository."""
    text[0] = text[0].replace("\n\n```\n", "\n```\n")  # where a doctest ends
    text[0] = re.sub(r"\[\w+\.md\](\(\w+\.md\))", r"[]\1", text[0])  # by its title
    if name == "map":  # the site has no such files
        text[0] = re.sub(r"\[(\w+)\]\(\.\./srcgrad/[\w/]+\.py\)", r"`\1`", text[0])


def with_search_box(
    app: Any, name: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """The long tables of functions are searched where they stand."""
    if name == "coverage":
        app.add_js_file("search-tables.js")


PUBLIC = "|".join(srcgrad.__all__)


def with_links(
    app: Any, what: str, name: str, item: Any, options: Any, lines: list[str]
) -> None:
    """Public names and pages, in code in docstrings, become links."""
    own = name.rpartition(".")[2]
    for k, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            line = re.sub(
                rf"``(?:srcgrad\.)?(?!{own}``)({PUBLIC})``",
                r":py:obj:`~srcgrad.\1`",
                line,
            )
            lines[k] = re.sub(r"``docs/(\w+)\.md``", r":doc:`/\1`", line)


def setup(app: Any) -> None:
    """Register what happens to single pages, and to docstrings."""
    app.connect("autodoc-process-docstring", with_links)
    app.connect("source-read", as_read_on_the_site)
    app.connect("html-page-context", with_search_box)
