package dev.tandem.test.shipping;

record Ship(String order, int items) {}
