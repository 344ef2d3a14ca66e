package drover.opsagent.disk;

/** Permissions of a file as a number and as {@code ls} shows them, special bits included. */
final class FileModeText {
    private static final int ALL = 07777;
    private static final int LENGTH = 9;
    private static final String LETTERS = "rwxrwxrwx";

    private FileModeText() {}

    /** For example {@code rwsr-xr-x} for 04755. Bits of the file type are left out. */
    static String toText(int mode) {
        char[] text = new char[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            text[i] = (mode >> (LENGTH - 1 - i) & 1) == 1 ? LETTERS.charAt(i) : '-';
        }
        for (int who = 0; who < 3; who++) {
            if ((mode >> (11 - who) & 1) == 1) {
                int at = 3 * who + 2;
                char executable = who == 2 ? 't' : 's';
                text[at] = text[at] == '-' ? Character.toUpperCase(executable) : executable;
            }
        }
        return new String(text);
    }

    /**
     * The number of a text.
     *
     * @throws IllegalArgumentException when it is none
     */
    static int parse(String text) {
        if (text.length() != LENGTH) {
            throw new IllegalArgumentException("'" + text + "' are no permissions");
        }
        for (int mode = 0, special = 0; special < 8; special++) {
            mode = special << LENGTH | plainBits(text);
            if (toText(mode & ALL).equals(text)) {
                return mode;
            }
        }
        throw new IllegalArgumentException("'" + text + "' are no permissions");
    }

    private static int plainBits(String text) {
        int bits = 0;
        for (int i = 0; i < LENGTH; i++) {
            char at = text.charAt(i);
            boolean set = at != '-' && !Character.isUpperCase(at);
            bits = bits << 1 | (set ? 1 : 0);
        }
        return bits;
    }
}
