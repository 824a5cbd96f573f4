CREATE TABLE shop_order (
    id        text        PRIMARY KEY,
    customer  text        NOT NULL,
    article   text        NOT NULL,
    pieces    integer     NOT NULL CHECK (pieces > 0),
    card      text        NOT NULL,
    state     text        NOT NULL,
    placed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE stock (
    article text    PRIMARY KEY,
    pieces  integer NOT NULL CHECK (pieces >= 0)
);
INSERT INTO stock VALUES ('teapot', 1000), ('samovar', 3);
