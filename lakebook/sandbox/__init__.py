"""Code that we did not write runs here and nowhere else: isolated, bounded, recorded (DA-Studio §3)."""
