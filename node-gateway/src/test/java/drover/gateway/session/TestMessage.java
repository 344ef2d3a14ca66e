package drover.gateway.session;

/** A message of no meaning. */
record TestMessage(String name) implements Relayed {
    @Override
    public int bytes() {
        return name.length();
    }
}
