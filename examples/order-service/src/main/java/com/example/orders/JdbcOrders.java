package com.example.orders;

import com.example.orders.Order.State;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

@Repository
class JdbcOrders implements Orders {

    private final JdbcClient database;

    JdbcOrders(JdbcClient database) {
        this.database = database;
    }

    @Override
    public void add(Order order) {
        database.sql("INSERT INTO shop_order (id, customer, article, pieces, card, state)"
                        + " VALUES (:id, :customer, :article, :pieces, :card, :state)")
                .param("id", order.id())
                .param("customer", order.customer())
                .param("article", order.article())
                .param("pieces", order.pieces())
                .param("card", order.card())
                .param("state", order.state().name())
                .update();
    }

    @Override
    public Order get(String id) {
        return database.sql("SELECT id, customer, article, pieces, card, state FROM shop_order WHERE id = :id")
                .param("id", id)
                .query(Order.class)
                .optional()
                .orElseThrow(() -> new IllegalArgumentException("There is no order " + id));
    }

    @Override
    public void become(String id, State state) {
        database.sql("UPDATE shop_order SET state = :state WHERE id = :id")
                .param("state", state.name())
                .param("id", id)
                .update();
    }
}
