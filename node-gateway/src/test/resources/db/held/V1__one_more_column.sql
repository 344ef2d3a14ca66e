-- What SchemaMigrationIT brings up to date: the step changes a table that others use.
ALTER TABLE public.used ADD COLUMN more text;
