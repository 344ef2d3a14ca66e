package drover.trust.release;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the JSON of signed documents strictly: UTF-8, no duplicate names, no fractions, no nulls,
 * nothing behind the end. Whatever two readers could understand in two ways is refused. Of our own,
 * because the vocabulary has no libraries and a library takes more than must be taken here.
 */
final class JsonReader {
    private static final int DEEPEST = 8; // what is signed is three deep
    private static final int MOST_DIGITS = 16; // fits a long, and the whole numbers of every JSON

    private final String text;
    private int at;

    private JsonReader(String text) {
        this.text = text;
    }

    /**
     * The document that these bytes are.
     *
     * @throws NotTrusted as {@link RejectionReason#MALFORMED}
     */
    static Json read(byte[] bytes) {
        JsonReader reader = new JsonReader(decode(bytes));
        Json value = reader.readValue(0);
        reader.skipSpace();
        if (reader.at < reader.text.length()) {
            throw reader.malformed("something follows the end");
        }
        return value;
    }

    private static String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException _) {
            throw NotTrusted.malformed("The document is not UTF-8: take the original.");
        }
    }

    private Json readValue(int depth) {
        if (depth > DEEPEST) {
            throw malformed("values are nested more than " + DEEPEST + " deep");
        }
        skipSpace();
        char first = peek();
        return switch (first) {
            case '{' -> readObject(depth);
            case '[' -> readArray(depth);
            case '"' -> new Json.JsonString(readString());
            case 't' -> readLiteral("true", new Json.JsonBoolean(true));
            case 'f' -> readLiteral("false", new Json.JsonBoolean(false));
            default -> readNumber();
        };
    }

    private Json readObject(int depth) {
        Map<String, Json> values = new LinkedHashMap<>();
        at++;
        if (consumeEnd('}')) {
            return new Json.JsonObject(values);
        }
        do {
            skipSpace();
            String name = readString();
            skipSpace();
            expect(':');
            if (values.put(name, readValue(depth + 1)) != null) {
                throw malformed("'" + name + "' stands twice");
            }
        } while (consumeCommaUnlessEnd('}'));
        return new Json.JsonObject(values);
    }

    private Json readArray(int depth) {
        List<Json> values = new ArrayList<>();
        at++;
        if (consumeEnd(']')) {
            return new Json.JsonArray(values);
        }
        do {
            values.add(readValue(depth + 1));
        } while (consumeCommaUnlessEnd(']'));
        return new Json.JsonArray(values);
    }

    private boolean consumeEnd(char end) {
        skipSpace();
        if (peek() == end) {
            at++;
            return true;
        }
        return false;
    }

    private boolean consumeCommaUnlessEnd(char end) {
        if (consumeEnd(end)) {
            return false;
        }
        expect(',');
        return true;
    }

    private Json readNumber() {
        int start = at;
        if (peek() == '-') {
            at++;
        }
        int digits = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
            at++;
        }
        int count = at - digits;
        boolean padded = count > 1 && text.charAt(digits) == '0';
        boolean fraction = at < text.length() && ".eE".indexOf(text.charAt(at)) >= 0;
        if (count == 0 || count > MOST_DIGITS || padded || fraction) {
            throw malformed("a value is no text, whole number, true, false, list or object");
        }
        return new Json.JsonInteger(Long.parseLong(text, start, at, 10));
    }

    private Json readLiteral(String word, Json value) {
        if (!text.startsWith(word, at)) {
            throw malformed("a value is no text, whole number, true, false, list or object");
        }
        at += word.length();
        return value;
    }

    private String readString() {
        expect('"');
        StringBuilder value = new StringBuilder();
        while (peek() != '"') {
            char next = text.charAt(at++);
            if (next < ' ') {
                throw malformed("a text has a control character in it");
            }
            value.append(next == '\\' ? readEscape() : next);
        }
        at++;
        String read = value.toString();
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(read)) {
            throw malformed("a text has half a character in it");
        }
        return read;
    }

    private char readEscape() {
        char kind = peek();
        at++;
        return switch (kind) {
            case '"', '\\', '/' -> kind;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> readUnicodeEscape();
            default -> throw malformed("a text has an unknown escape in it");
        };
    }

    private char readUnicodeEscape() {
        if (at + 4 > text.length() || !text.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) {
            throw malformed("a text has an unknown escape in it");
        }
        at += 4;
        return (char) Integer.parseInt(text, at - 4, at, 16);
    }

    private void skipSpace() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private char peek() {
        if (at >= text.length()) {
            throw malformed("it ends too early");
        }
        return text.charAt(at);
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw malformed("'" + wanted + "' is missing");
        }
        at++;
    }

    private NotTrusted malformed(String what) {
        return NotTrusted.malformed(
                "The document is not JSON as it is signed: "
                        + what
                        + " (character "
                        + (at + 1)
                        + "): take the original.");
    }
}
