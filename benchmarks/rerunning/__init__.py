"""How right are components that the product runs again? Public notebooks, judged by what they drew once."""
