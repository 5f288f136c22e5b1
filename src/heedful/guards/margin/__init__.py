"""How much room noise, age and a person's speed ask for, calculated and tried on the guard."""
