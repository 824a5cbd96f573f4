package com.example.orders;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
class JdbcStock implements Stock {

    private final JdbcClient database;

    JdbcStock(JdbcClient database) {
        this.database = database;
    }

    @Override
    public boolean take(String article, int pieces) {
        return database.sql("UPDATE stock SET pieces = pieces - :pieces WHERE article = :article AND pieces >= :pieces")
                        .param("pieces", pieces)
                        .param("article", article)
                        .update()
                == 1;
    }

    @Override
    public void putBack(String article, int pieces) {
        database.sql("UPDATE stock SET pieces = pieces + :pieces WHERE article = :article")
                .param("pieces", pieces)
                .param("article", article)
                .update();
    }
}
