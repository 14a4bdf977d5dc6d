-- Layers of a GeoPackage: table, title, kind of geometry, extent and reference system.
SELECT
    contents.table_name,
    coalesce(contents.identifier, contents.table_name),
    contents.data_type,
    coalesce(shapes.geometry_type_name, ''),
    contents.min_x, contents.min_y, contents.max_x, contents.max_y,
    coalesce(systems.organization || ':' || systems.organization_coordsys_id, '')
FROM gpkg_contents AS contents
LEFT JOIN gpkg_geometry_columns AS shapes ON shapes.table_name = contents.table_name
LEFT JOIN gpkg_spatial_ref_sys AS systems ON systems.srs_id = contents.srs_id;
