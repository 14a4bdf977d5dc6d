"""JSON, GeoJSON and XML: records at any depth become tables."""
