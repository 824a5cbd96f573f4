-- The tables of Tandem's outbox and of Once, for MySQL 8.0.17 and later. All times are in UTC.
-- Texts are compared byte by byte: two keys that differ in case or in spaces at their ends are two keys.

-- Tasks that were written in transactions of the application, until a relay has published them.
CREATE TABLE tandem_outbox (
    id           bigint         NOT NULL AUTO_INCREMENT PRIMARY KEY,
    -- Tells rows apart that have the same id, as after a failover to a replica that had lagged behind.
    row_uuid     char(36)       CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT (uuid()),
    -- CRC-32 of the key's UTF-8 bytes, modulo 64; any number from 0 to 63 if there is no key.
    bucket       smallint       NOT NULL CHECK (bucket BETWEEN 0 AND 63),
    queue        varchar(200)   NOT NULL,
    type         varchar(200),
    task_key     varchar(1024),
    task_id      varchar(512)   NOT NULL,
    dedup_key    varchar(512)   NOT NULL,
    -- A JSON object of texts.
    headers      longtext       NOT NULL DEFAULT ('{}') CHECK (headers LIKE '{%'),
    payload      longblob       NOT NULL,
    not_before   datetime(3),
    timeout_ms   bigint,
    max_attempts integer,
    written_at   datetime(3)    NOT NULL DEFAULT (UTC_TIMESTAMP(3)),
    -- How often publishing failed, and the last reason.
    failures     integer        NOT NULL DEFAULT 0,
    error        text,
    -- Since when relays have had clients that cannot publish the row.
    unfit_since  datetime(6),
    -- When the row was set aside because its task can never be published. Set it to null to have it tried again.
    refused_at   datetime(3),
    INDEX tandem_outbox_refused (refused_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The relays that are alive.
CREATE TABLE tandem_outbox_relay (
    id          varchar(64) NOT NULL PRIMARY KEY,
    alive_until datetime(6) NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- Which relay publishes the rows of a bucket, and until when it has a right to.
CREATE TABLE tandem_outbox_bucket (
    bucket       smallint    NOT NULL PRIMARY KEY,
    owner        varchar(64),
    lease_until  datetime(6) NOT NULL DEFAULT '1970-01-01 00:00:00',
    -- The relay that gave the bucket to the others because its client cannot publish a row, and for how long.
    passed_by    varchar(64),
    passed_until datetime(6)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
INSERT INTO tandem_outbox_bucket (bucket)
    WITH RECURSIVE buckets (bucket) AS (SELECT 0 UNION ALL SELECT bucket + 1 FROM buckets WHERE bucket < 63)
    SELECT bucket FROM buckets;

-- Tasks whose effects in this database are committed.
CREATE TABLE tandem_once (
    queue   varchar(200) NOT NULL,
    task    varchar(520) NOT NULL,
    token   bigint       NOT NULL,
    done_at datetime(3)  NOT NULL DEFAULT (UTC_TIMESTAMP(3)),
    PRIMARY KEY (queue, task),
    INDEX tandem_once_done_at (done_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;

-- The highest fencing token that has written for each key. Bytes, because an index takes 3,072 of them at most.
CREATE TABLE tandem_once_key (
    queue    varchar(200)    NOT NULL,
    task_key varbinary(1024) NOT NULL,
    token    bigint          NOT NULL,
    used_at  datetime(3)     NOT NULL DEFAULT (UTC_TIMESTAMP(3)),
    PRIMARY KEY (queue, task_key),
    INDEX tandem_once_key_used_at (used_at)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin;
