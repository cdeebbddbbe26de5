# The options of pe-plot, without the modules that draw.
import importlib.machinery
import importlib.util
import sys
import unittest.mock


def plot_parser(path):
    """The script's own parser; what it imports to draw with is stood in for, since a build has no need of it."""
    drawn = ["numpy", "h5py", "matplotlib", "matplotlib.ticker", "matplotlib.pyplot"]
    stand_ins = {name: unittest.mock.MagicMock(__spec__=unittest.mock.MagicMock()) for name in drawn}
    with unittest.mock.patch.dict(sys.modules, stand_ins), unittest.mock.patch.object(sys, "path", list(sys.path)):
        loader = importlib.machinery.SourceFileLoader("pe_plot", str(path))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("pe_plot", loader))
        loader.exec_module(module)
        return module.option_parser()
