"""What a template says: its sections, parameters, conditions, functions and references, and what is wrong with them."""
