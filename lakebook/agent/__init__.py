"""The agent: who answers a question with the runtime, with a model or without one (RADAR §3, DA-Studio §3)."""
