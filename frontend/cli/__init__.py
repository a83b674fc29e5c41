"""The command line, a module for each group of commands.

Others import `main`, which loads the command that is called.
"""
