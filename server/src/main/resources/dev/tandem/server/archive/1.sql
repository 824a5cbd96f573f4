-- ${schema}.outcomes has one row for each event. A row is named by what never changes once an outcome is recorded, with
-- its time. So a copy of an event meets its first row in the same partition, even around midnight.
CREATE TABLE ${schema}.outcomes (
  queue           text COLLATE "C" NOT NULL,
  partition       text COLLATE "C" NOT NULL,
  position        text COLLATE "C" NOT NULL,
  kind            text COLLATE "C" NOT NULL,
  recorded_at     timestamptz NOT NULL,
  task_id         text COLLATE "C",
  type            text COLLATE "C",
  key             text COLLATE "C",
  attempt         integer NOT NULL,
  executor        text COLLATE "C",
  error           text COLLATE "C",
  started_at      timestamptz,
  duration_millis bigint,
  duplicate_of    text COLLATE "C",
  sequence        bigint NOT NULL,
  PRIMARY KEY (queue, partition, position, kind, recorded_at)
) PARTITION BY RANGE (recorded_at);

CREATE INDEX outcomes_kind ON ${schema}.outcomes (queue, kind, recorded_at);
CREATE INDEX outcomes_id ON ${schema}.outcomes (queue, task_id, recorded_at) WHERE task_id IS NOT NULL;
CREATE INDEX outcomes_key ON ${schema}.outcomes (queue, key, recorded_at) WHERE key IS NOT NULL;
CREATE INDEX outcomes_type ON ${schema}.outcomes (queue, type, recorded_at) WHERE type IS NOT NULL;
