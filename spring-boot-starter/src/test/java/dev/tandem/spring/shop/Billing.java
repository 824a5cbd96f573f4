package dev.tandem.spring.shop;

/** An interface, so that its bean gets a JDK proxy. */
public interface Billing {

    @ShopHandler("bill")
    void bill(Ship ship);
}
