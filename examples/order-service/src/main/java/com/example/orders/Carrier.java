package com.example.orders;

/** The carrier, another company's service. */
interface Carrier {

    /**
     * Books the transport of an order. May be repeated.
     *
     * @param token is refused if a higher one was given for this order
     */
    void book(String order, long token);
}
