"""What runs inside the sandbox: the controller, the interpreter it guards, and their framing.

The folder is mounted read-only into the sandbox under the package name `lakebook_worker`, so its modules
import each other relatively and nothing else of Lakebook. The host imports `framing` and `processes` from
here, which need nothing else.
"""
