package com.example.orders;

import com.example.orders.Order.State;

/** The orders. */
interface Orders {

    void add(Order order);

    /** @throws IllegalArgumentException if there is no such order */
    Order get(String id);

    void become(String id, State state);
}
