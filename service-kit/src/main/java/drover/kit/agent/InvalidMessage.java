package drover.kit.agent;

/** An agent message with a value outside its limits. The text never repeats the value. */
public final class InvalidMessage extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;

    InvalidMessage(String field, String rule) {
        super(field + " " + rule + ".");
        this.field = field;
    }

    /** Path of the field, such as {@code status.actions[3].name}. */
    public String field() {
        return field;
    }

    /** One sentence with the field and the rule that it breaks. */
    public String sentence() {
        return String.valueOf(getMessage());
    }
}
