package drover.model.program;

import java.util.regex.Pattern;

/** How a container image is named so that nobody can change it: by its digest (creation rule 3). */
public final class PinnedImageRule {
    private static final Pattern GRAMMAR =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]*@sha256:[0-9a-f]{64}");

    private PinnedImageRule() {}

    /** Whether an address is {@code name@sha256:<64 hexadecimal digits>}; a tag alone is not. */
    public static boolean isPinned(String address) {
        return GRAMMAR.matcher(address).matches();
    }
}
