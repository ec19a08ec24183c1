"""Code of the pages and notebooks runs as it stands, each from its top to its end."""
import json
import os
import pathlib
import re
import tempfile
import unittest
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]


def blocks_of(page):
    """Code between fences that are Python's; cells of a notebook."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)


class Pages(unittest.TestCase):
    def test_all(self):
        pages = [ROOT / "src/python/README.md", *sorted((ROOT / "src/python/examples").glob("*.ipynb"))]
        import matplotlib
        matplotlib.use("Agg")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)  # pages leave files
        for page in pages:
            names = {"__name__": "__main__"}
            blocks = blocks_of(page)
            self.assertGreater(len(blocks), 3, page)
            for number, block in enumerate(blocks, 1):
                with self.subTest(page=page.name, block=number), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    exec(compile(block, f"{page.name}, block {number}", "exec"), names)


if __name__ == "__main__":
    unittest.main()
