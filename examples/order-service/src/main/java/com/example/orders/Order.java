package com.example.orders;

/**
 * An order.
 *
 * @param card the token by which the payment provider knows the customer's card
 */
public record Order(String id, String customer, String article, int pieces, String card, State state) {

    public enum State {
        /** Accepted; nothing has happened yet. */
        PLACED,
        /** Its pieces are taken out of the stock. */
        RESERVED,
        PAID,
        SHIPPED,
        /** There were not enough pieces. */
        SOLD_OUT,
        /** The payment died. The pieces are back in the stock. */
        CANCELLED
    }
}
