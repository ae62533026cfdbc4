"""Model selection for pure exploration in linear bandits: instances, certified designs, complexities."""
