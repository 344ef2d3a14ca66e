package drover.standalone;

/** tmp */
public final class Main {
    private Main() {}

    /** tmp */
    public static void main(String[] args) {}
}
