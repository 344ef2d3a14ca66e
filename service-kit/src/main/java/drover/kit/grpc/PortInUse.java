package drover.kit.grpc;

/** The address cannot be listened on, nearly always because another program has the port. */
public final class PortInUse extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param cause what the listening part threw
     */
    public PortInUse(Address address, Throwable cause) {
        super(
                "Nothing can listen on " + address + "; another program probably has the port",
                cause);
    }
}
