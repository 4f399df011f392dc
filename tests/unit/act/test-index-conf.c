/* SPDX-License-Identifier: Apache-2.0 */
#include "tap.h"
#include "act/index_conf.h"

static struct arena a;

static const char *help(const char *text)
{
    const char *url = index_of_help(&a, text, strlen(text));
    return url ? url : "";
}

static const char *toml(const char *text)
{
    const char *url = index_of_uv_toml(&a, text, strlen(text));
    return url ? url : "";
}

int main(void)
{
    arena_init(&a, 0);
    ok_str(help("Index options:\n      --index <INDEX>                  More of them\n      --default-index <DEFAULT_INDEX>  The default one (by default: <https://a.example/simple>) [env: X]\n"
                "  -i, --index-url <INDEX_URL>  (Deprecated) (by default: <https://b.example/simple>)\n"), "https://a.example/simple", "uv's default");
    ok_str(help("  -i, --index-url <url>       Base URL of the index (default https://c.example/simple/). This should point to one.\n  --extra-index-url <url>     More\n"), "https://c.example/simple", "pip's, without the slash");
    ok_str(help("      --default-index <DEFAULT_INDEX>\n          The default package index (by default:\n          <https://a.example/simple>).\n"), "https://a.example/simple", "over several lines");
    ok_str(help("  --index-url <url>  Base URL.\n  --extra-index-url <url>  (default https://other.example/simple)\n"), "", "another option's default is none of it");
    ok_str(help("  --index-url <url>  Base URL (default http)"), "", "no address");
    ok_str(help("  --index-url <url>  Base URL (default https://x.example/si"), "https://x.example/si", "cut: as far as it goes");
    ok_str(help(""), "", "nothing");
    ok_str(toml("index-url = \"https://a.example\"\n"), "https://a.example", "uv.toml");
    ok_str(toml("[[index]]\nurl = 'https://a.example'\n"), "", "uv.toml: an index beside the default one");
    arena_done(&a);
    return tap_done();
}
