package com.example.orders;

/** A mail to a customer. */
public record Mail(String to, String text) {

    static Mail about(Order order, String news) {
        return new Mail(order.customer(), "Your order " + order.id() + " of " + order.article() + " " + news);
    }
}
