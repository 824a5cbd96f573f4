package com.example.orders;

import com.example.orders.Order.State;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The database of the shop, for tests of the handlers. */
class InMemoryShop implements Orders, Stock {

    private final Map<String, Order> orders = new ConcurrentHashMap<>();
    private final Map<String, Integer> stock = new ConcurrentHashMap<>();

    void clear() {
        orders.clear();
        stock.clear();
        stock.put("teapot", 10);
    }

    int pieces(String article) {
        return stock.getOrDefault(article, 0);
    }

    @Override
    public void add(Order order) {
        orders.put(order.id(), order);
    }

    @Override
    public Order get(String id) {
        Order order = orders.get(id);
        if (order == null) {
            throw new IllegalArgumentException("There is no order " + id);
        }
        return order;
    }

    @Override
    public void become(String id, State state) {
        orders.computeIfPresent(
                id,
                (same, order) -> new Order(id, order.customer(), order.article(), order.pieces(), order.card(), state));
    }

    @Override
    public boolean take(String article, int pieces) {
        if (pieces(article) < pieces) {
            return false;
        }
        stock.merge(article, -pieces, Integer::sum);
        return true;
    }

    @Override
    public void putBack(String article, int pieces) {
        stock.merge(article, pieces, Integer::sum);
    }
}
