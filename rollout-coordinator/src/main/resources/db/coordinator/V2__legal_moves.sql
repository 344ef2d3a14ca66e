-- The last line behind the planner: only the moves of the state machine, and epochs never decrease (A17, B1).
-- Looks at the state itself: generated columns are worked out after BEFORE triggers, so that NEW.status is still empty here.
CREATE OR REPLACE FUNCTION rollout_moves_legally() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was text := OLD.state ->> 'status';
    becomes text := NEW.state ->> 'status';
BEGIN
    IF NEW.epoch < OLD.epoch THEN
        RAISE EXCEPTION 'epoch % may not write after epoch %', NEW.epoch, OLD.epoch;
    END IF;
    IF was <> becomes AND NOT (was, becomes) IN (
        ('pending', 'running'), ('pending', 'cancelled'), ('pending', 'failed'),
        ('running', 'awaiting_approval'), ('running', 'paused'), ('running', 'cancelling'),
        ('running', 'rolling_back'), ('running', 'completed'), ('running', 'failed'),
        ('awaiting_approval', 'running'), ('awaiting_approval', 'paused'),
        ('awaiting_approval', 'cancelling'), ('awaiting_approval', 'rolling_back'),
        ('paused', 'running'), ('paused', 'awaiting_approval'), ('paused', 'rolling_back'), ('paused', 'cancelling'),
        ('cancelling', 'cancelled'), ('cancelling', 'rolling_back'),
        ('rolling_back', 'paused'), ('rolling_back', 'rolled_back'), ('rolling_back', 'failed'),
        ('completed', 'rolling_back'), ('failed', 'rolling_back'), ('cancelled', 'rolling_back')) THEN
        RAISE EXCEPTION 'a rollout does not move from % to %', was, becomes;
    END IF;
    RETURN NEW;
END $$;
