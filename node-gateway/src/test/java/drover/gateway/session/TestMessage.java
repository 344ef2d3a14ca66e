package drover.gateway.session;

/** A message of no meaning. */
record TestMessage(String name) implements OpaqueMessage {
    @Override
    public int bytes() {
        return name.length();
    }
}
