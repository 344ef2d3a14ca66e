-- What an approval is given on: the digest that the person named.
ALTER TABLE operator_request ADD COLUMN evidence text NOT NULL DEFAULT '';
