package com.example.orders;

/** The stock of the warehouse. */
interface Stock {

    /** Takes pieces of an article. Returns false, and takes none, if there are fewer. */
    boolean take(String article, int pieces);

    void putBack(String article, int pieces);
}
