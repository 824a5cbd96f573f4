package dev.tandem.test.shipping;

record Receipt(String order, long token) {}
