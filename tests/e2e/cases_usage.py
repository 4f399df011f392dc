# SPDX-License-Identifier: Apache-2.0
"""Usage: options, commands, help."""
import glob
import os
import re

import yaml

from cli import HERE_TOP, case, one_error, width

COMMANDS = ('check', 'why', 'env')


@case
def no_command_is_a_usage_error(c):
    one_error(c.run(), 2, 'tfgpu check', '--help')


@case
def unknown_command_names_the_nearest(c):
    one_error(c.run('chek'), 2, "'chek'", "'check'", '--help')
    one_error(c.run('frobnicate'), 2, "'frobnicate'", '--help')


@case
def unknown_option_names_the_nearest(c):
    one_error(c.run('check', '--verbos'), 2, "'--verbos'", "'--verbose'", 'tfgpu check --help')
    one_error(c.run('check', '--fromat=json'), 2, "'--fromat'", "'--format'")
    one_error(c.run('check', '--zzzzzz'), 2, "'--zzzzzz'", '--help')
    one_error(c.run('check', '-x'), 2, "'-x'", '--help')
    one_error(c.run('check', '-vx'), 2, 'x', '--help')
    one_error(c.run('--verbos', 'check'), 2, "'--verbos'", '--help')


@case
def option_in_front_of_its_command_is_explained(c):
    one_error(c.run('--verbose', 'check'), 2, "'--verbose'", 'check')


@case
def option_values_are_checked(c):
    one_error(c.run('check', '--format', 'xml'), 2, "'--format'", "'xml'", 'text', 'json')
    one_error(c.run('check', '--format'), 2, "'--format'")
    one_error(c.run('check', '--env='), 2, "'--env'")
    one_error(c.run('check', '--deep=yes'), 2, "'--deep'")
    one_error(c.run('check', '--lang', 'xx'), 2, "'--lang'", 'zh_CN')


@case
def arguments_are_counted(c):
    one_error(c.run('check', 'spare'), 2, "'spare'", 'check --help')
    one_error(c.run('check', '--', '--verbose'), 2, "'--verbose'")
    one_error(c.run('why'), 2, 'SONAME')
    one_error(c.run('env', 'lst'), 2, "'lst'", 'list')


@case
def control_characters_in_arguments_are_escaped(c):
    one_error(c.run('check', '--\x1b[31mred'), 2, '\\x1B')
    one_error(c.run('\x1b]0;title\x07'), 2, '\\x1B')


@case
def help_is_there_for_every_command(c):
    r = c.run('--help')
    assert r.code == 0 and r.err == '', repr(r)
    assert c.run('help').out == r.out
    for name in COMMANDS:
        assert re.search(rf'^    {name}\b', r.out, re.M), f'{name} is not listed: {r}'
    for name in COMMANDS:
        for args in ((name, '--help'), (name, '-h'), ('--help', name), ('help', name)):
            r = c.run(*args)
            assert r.code == 0 and r.err == '' and f'tfgpu {name}' in r.out and '--format text|json' in r.out, repr(r)
            assert max(map(width, r.out.splitlines())) <= 80, f'too wide: {r}'


@case
def version_names_the_data(c):
    for args in (('--version',), ('check', '--version')):
        r = c.run(*args)
        assert r.code == 0 and re.fullmatch(r'tfgpu \d+\.\d+\.\d+ \(data \d{4}-\d\d-\d\d-[0-9a-f]{8}\)\n', r.out), repr(r)


def options_of(c, *cmd):
    text = c.run(*cmd, '--help').out
    return set(re.findall(r'(?<![\w-])--[a-z][a-z-]*', text.split('Options:')[1].split('Exit codes:')[0])) - {'--help', '--version'}


@case
def readme_has_the_options_of_check(c):
    want = options_of(c, 'check')
    for name in ('README.md', 'README.zh-CN.md'):
        with open(os.path.join(HERE_TOP, name), encoding='utf-8') as f:
            rows = [line.split('|')[1] for line in f if line.startswith('| `-')]
        have = {o for r in rows for o in re.findall(r'--[a-z][a-z-]*', r)}
        assert have == want, f'{name}: {sorted(have ^ want)}'


@case
def exit_codes_are_the_same_everywhere(c):
    with open(os.path.join(HERE_TOP, 'src/cmd/exit.h'), encoding='utf-8') as f:
        codes = dict(re.findall(r'(EXIT_\w+) = (\d+)', f.read()))
    want = {v for k, v in codes.items() if k != 'EXIT_ACTION'}  # no command of this version acts
    for name in ('README.md', 'README.zh-CN.md'):
        with open(os.path.join(HERE_TOP, name), encoding='utf-8') as f:
            assert set(re.findall(r'^\| (\d+) \| [^|]+\|$', f.read(), re.M)) >= want, name
    with open(os.path.join(HERE_TOP, 'man/tfgpu.1'), encoding='utf-8') as f:
        section = f.read().split('.SH EXIT STATUS')[1].split('.SH')[0]
    assert set(re.findall(r'^(\d+)$', section, re.M)) == want


@case
def examples_of_the_man_pages_parse(c):
    for page in sorted(glob.glob(os.path.join(HERE_TOP, 'man/*.1'))):
        with open(page, encoding='utf-8') as f:
            text = f.read().split('.SH EXAMPLES')
        for line in (text[1].splitlines() if len(text) > 1 else []):
            if not line.startswith('tfgpu '):
                continue
            words = re.split(r' [>|]', line.replace('\\-', '-'))[0].split()[1:]
            end = words.index('--') if '--' in words else len(words)   # what follows is a command of its own
            r = c.run(*words[:end], '--help', *words[end:])
            assert r.code == 0, f'{os.path.basename(page)}: {line}: {r}'


@case
def readme_shows_what_the_tool_prints(c):
    """TFGPU_UPDATE_GOLDEN=1 writes the examples anew."""
    with open(os.path.join(HERE_TOP, 'tests/cases/cuda-lib-unreachable.yaml'), encoding='utf-8') as f:
        example = yaml.safe_load(f)['fires'][0]
    root, env, _ = c.machine(example['base'], example['changes'])
    for name, lang in (('README.md', 'en'), ('README.zh-CN.md', 'zh_CN')):
        out = c.run('check', '--root', '.', '--env', env, '--lang', lang, cwd=root).out
        path = os.path.join(HERE_TOP, name)
        with open(path, encoding='utf-8') as f:
            text = f.read()
        new = re.sub(r'(?s)```text\n.*?```', lambda m: f'```text\n{out}```', text, count=1)
        if new != text and os.environ.get('TFGPU_UPDATE_GOLDEN'):
            with open(path, 'w', encoding='utf-8') as f:
                f.write(new)
            continue
        assert new == text, f'{name}: the example differs; TFGPU_UPDATE_GOLDEN=1 tests/e2e/run-cli readme-shows writes it anew:\n{out}'
