-- A role for each service in Drover's database, none of which is a superuser. A superuser runs it, in that database, before
-- the services' first start, or while they are stopped; again it changes nothing. Passwords are not in it: \password drover_gateway.
-- Each service makes its own schema and owns it; the gateways' is read by coordinators, who write nothing there.
DO $$
DECLARE
    part text;
    owned text;
BEGIN
    FOREACH part IN ARRAY ARRAY['coordinator', 'gateway'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'drover_' || part) THEN
            EXECUTE format('CREATE ROLE %I LOGIN', 'drover_' || part);
        END IF;
        EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', part);
        EXECUTE format('ALTER SCHEMA %I OWNER TO %I', part, 'drover_' || part);
        -- What another user made before; an identity's sequence and an index go with their table.
        FOR owned IN
            SELECT format('TABLE %s', oid::regclass) FROM pg_class
                WHERE relnamespace = part::regnamespace AND relkind IN ('r', 'p')
            UNION ALL
            SELECT format('FUNCTION %s', oid::regprocedure) FROM pg_proc
                WHERE pronamespace = part::regnamespace
        LOOP
            EXECUTE format('ALTER %s OWNER TO %I', owned, 'drover_' || part);
        END LOOP;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA gateway TO drover_coordinator;
GRANT SELECT ON ALL TABLES IN SCHEMA gateway TO drover_coordinator;
ALTER DEFAULT PRIVILEGES FOR ROLE drover_gateway IN SCHEMA gateway GRANT SELECT ON TABLES TO drover_coordinator;
