package com.example.orders;

/** The payment provider, another company's service. Both calls may be repeated for an order. */
interface Payments {

    /** @throws CardRefusedException if another attempt would be of no use */
    void charge(String order, String card);

    /** Pays back what was charged, if anything was. */
    void refund(String order);
}
