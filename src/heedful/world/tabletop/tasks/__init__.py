"""The four tasks: what each puts on the table and asks for, and how a scene of any of them is drawn."""
