-- What a rollout would have done when it was created, so that a start which demands that can say what is different.
ALTER TABLE rollout ADD COLUMN plan text NOT NULL DEFAULT '';
