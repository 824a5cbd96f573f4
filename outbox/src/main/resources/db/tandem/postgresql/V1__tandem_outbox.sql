-- The tables of Tandem's outbox and of Once, for PostgreSQL 13 and later.

-- Tasks that were written in transactions of the application, until a relay has published them.
CREATE TABLE tandem_outbox (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Tells rows apart that have the same id, as after a failover to a replica that had lagged behind.
    row_uuid     uuid        NOT NULL DEFAULT gen_random_uuid(),
    -- CRC-32 of the key's UTF-8 bytes, modulo 64; any number from 0 to 63 if there is no key.
    bucket       smallint    NOT NULL CHECK (bucket BETWEEN 0 AND 63),
    queue        text        NOT NULL,
    type         text,
    task_key     text,
    task_id      text        NOT NULL,
    dedup_key    text        NOT NULL,
    -- A JSON object of texts.
    headers      text        NOT NULL DEFAULT '{}' CHECK (headers LIKE '{%'),
    payload      bytea       NOT NULL,
    not_before   timestamptz,
    timeout_ms   bigint,
    max_attempts integer,
    written_at   timestamptz NOT NULL DEFAULT now(),
    -- How often publishing failed, and the last reason.
    failures     integer     NOT NULL DEFAULT 0,
    error        text,
    -- Since when relays have had clients that cannot publish the row.
    unfit_since  timestamptz,
    -- When the row was set aside because its task can never be published. Set it to null to have it tried again.
    refused_at   timestamptz
);
CREATE INDEX tandem_outbox_refused ON tandem_outbox (queue, task_key) WHERE refused_at IS NOT NULL;

-- The relays that are alive. A relay that is asleep wants to be notified of new rows.
CREATE TABLE tandem_outbox_relay (
    id          text        PRIMARY KEY,
    alive_until timestamptz NOT NULL,
    asleep      boolean     NOT NULL DEFAULT false
);

-- Which relay publishes the rows of a bucket, and until when it has a right to.
CREATE TABLE tandem_outbox_bucket (
    bucket       smallint    PRIMARY KEY,
    owner        text,
    lease_until  timestamptz NOT NULL DEFAULT '-infinity',
    -- The relay that gave the bucket to the others because its client cannot publish a row, and for how long.
    passed_by    text,
    passed_until timestamptz
);
INSERT INTO tandem_outbox_bucket (bucket) SELECT generate_series(0, 63);

-- Commits with a notification wait for one another in PostgreSQL. So there is one only while a relay is asleep.
CREATE FUNCTION tandem_outbox_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM tandem_outbox_relay WHERE asleep AND alive_until > clock_timestamp()) THEN
        NOTIFY tandem_outbox;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER tandem_outbox_written AFTER INSERT ON tandem_outbox
    FOR EACH STATEMENT EXECUTE FUNCTION tandem_outbox_notify();

-- Tasks whose effects in this database are committed.
CREATE TABLE tandem_once (
    queue   text        NOT NULL,
    task    text        NOT NULL,
    token   bigint      NOT NULL,
    done_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (queue, task)
);
CREATE INDEX tandem_once_done_at ON tandem_once (done_at);

-- The highest fencing token that has written for each key.
CREATE TABLE tandem_once_key (
    queue    text        NOT NULL,
    task_key text        NOT NULL,
    token    bigint      NOT NULL,
    used_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (queue, task_key)
);
CREATE INDEX tandem_once_key_used_at ON tandem_once_key (used_at);
