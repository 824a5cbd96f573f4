package dev.tandem.spring.restart;

public record Parcel(String order) {}
